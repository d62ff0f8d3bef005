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

let waiting = 0;

// While work goes on that asks, the page is busy.
export async function awaited(work) {
  const tell = (change) => document.querySelector("main").setAttribute("aria-busy", (waiting += change) > 0);
  tell(1);
  try {
    return await work();
  } finally {
    tell(-1);
  }
}

// Asks one thing at a time. While an answer is awaited only the latest of the questions that come in is kept, so that what is
// shown is never older than one question.
export class Latest {
  #busy = false;
  #next = null; // the question to be asked when the one before is answered
  #asked = null; // the one whose answer is awaited; null where nobody wants it any more

  constructor(path, answered, refused) {
    Object.assign(this, { path, answered, refused });
  }

  async ask(body) {
    this.#next = body;
    if (this.#busy) return;
    this.#busy = true;
    try {
      await awaited(async () => {
        while (this.#next) await this.#one();
      });
    } finally {
      this.#busy = false;
    }
  }

  async #one() {
    const asked = (this.#asked = this.#next);
    this.#next = null;
    const wanted = () => !this.#next && this.#asked === asked;
    try {
      const answer = await ask(this.path, asked);
      if (wanted()) this.answered(answer, asked);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (wanted()) this.refused(error.message);
    }
  }

  forget() {
    this.#next = this.#asked = null;
  }
}
