// The engine answers in JSON; what it refuses, it refuses with a sentence.

export class Refused extends Error {}

export async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new Refused("The program that serves this page does not answer: start “novikoff lab” again, and load the page anew.");
  }
  const content = await answer.json().catch(() => ({ error: `The program answered with status ${answer.status}.` }));
  if (!answer.ok) throw new Refused(content.error);
  return content;
}

// Asks one thing at a time. While an answer is awaited only the latest of the questions that come in is kept, so that what is
// shown is never older than one question.
export class Latest {
  static busy = () => {}; // told whether anything is awaited
  static #waiting = 0;
  #busy = false;
  #next = null;

  constructor(path, answered, refused) {
    Object.assign(this, { path, answered, refused });
  }

  async ask(body) {
    this.#next = body;
    if (this.#busy) return;
    this.#busy = true;
    Latest.busy(++Latest.#waiting > 0);
    while (this.#next) {
      const asked = this.#next;
      this.#next = null;
      try {
        const answer = await ask(this.path, asked);
        if (!this.#next) this.answered(answer, asked);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (!this.#next) this.refused(error.message);
      }
    }
    this.#busy = false;
    Latest.busy(--Latest.#waiting > 0);
  }

  forget() {
    this.#next = null;
  }
}
