/** A dialog of its own that is gone when it closes. */
import type { Dialog } from "./dialog.js";

export function openOnce(name: string, prepare: (dialog: Dialog) => void): void {
  const dialog = document.createElement(name) as Dialog;
  prepare(dialog);
  document.body.append(dialog);
  void dialog.updateComplete.then(() => {
    dialog.show();
    dialog.renderRoot.querySelector("dialog")?.addEventListener("close", () => dialog.remove());
  });
}
