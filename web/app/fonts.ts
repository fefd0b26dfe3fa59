/**
 * Has the browser look its fonts up while it is idle. The first use of each family, size and weight asks the font service
 * of the system, which takes milliseconds apiece and would otherwise all happen in the frame that first draws the list.
 */

const styles = [
  ["--mono", "12px"],
  ["--sans", "12px"],
  ["--sans", "600 12px"],
  ["--sans", "13px"],
  ["--sans", "600 13px"],
  ["--sans", "14px"],
  ["--serif", "600 15px"],
] as const;

// Letters of both cases, digits, and the marks that the list uses.
const sample = "Archive 0123 \u00b7\u2026\u2193\u25b8";

export function warmFonts(): void {
  const context = document.createElement("canvas").getContext("2d");
  const tokens = getComputedStyle(document.documentElement);
  const left = [...styles];
  const step = (): void => {
    const [family, size] = left.shift() ?? [];
    if (context === null || family === undefined || size === undefined) return;
    context.font = `${size} ${tokens.getPropertyValue(family)}`;
    context.measureText(sample);
    requestIdleCallback(step);
  };
  if ("requestIdleCallback" in window) requestIdleCallback(step);
}
