// Buttons whose work the server does.

import { Refused, whileBusy } from "./api.js";
import { showError } from "./messages.js";

// Does the work with the button disabled, and shows the error if the server refuses.
export async function withButton(button, work) {
  if (button.disabled) return;
  button.disabled = true;
  try {
    await whileBusy(work);
    showError("");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    showError(error.message);
  } finally {
    button.disabled = false;
  }
}
