/** Light, dark, or as the system says. The choice is kept only once somebody makes it. */

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "stackroom.theme";

export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return themes.find((theme) => theme === kept) ?? "system";
  } catch {
    // Storage may be forbidden; the viewer then follows the system.
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function setTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    return;
  }
}
