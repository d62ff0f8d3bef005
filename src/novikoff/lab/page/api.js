// Requests to the server. It answers in JSON; a request that it refuses has one sentence as its answer.

export class Refused extends Error {}

export async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new Refused("The lab’s server does not answer: start “novikoff lab” again, and reload this page.");
  }
  const content = await answer.json().catch(() => ({ error: `The server answered with status ${answer.status}.` }));
  if (!answer.ok) throw new Refused(content.error);
  return content;
}

// Marks the page as busy while some work waits for answers.
const busy = {
  works: 0,
  change(by) {
    this.works += by;
    document.querySelector("main").setAttribute("aria-busy", this.works > 0);
  },
};

export async function whileBusy(work) {
  busy.change(1);
  try {
    return await work();
  } finally {
    busy.change(-1);
  }
}

// Sends one request at a time. Of the requests that come in meanwhile only the latest is sent, so that the answer shown is never
// older than one request.
export class Latest {
  #sending = false;
  #next = null; // the request to send after the current one
  #current = null; // the request whose answer is awaited; null where it is not wanted any more

  constructor(path, answered, refused) {
    Object.assign(this, { path, answered, refused });
  }

  async ask(body) {
    this.#next = body;
    if (this.#sending) return;
    this.#sending = true;
    try {
      await whileBusy(async () => {
        while (this.#next) await this.#sendNext();
      });
    } finally {
      this.#sending = false;
    }
  }

  async #sendNext() {
    const request = (this.#current = this.#next);
    this.#next = null;
    const wanted = () => !this.#next && this.#current === request;
    try {
      const answer = await ask(this.path, request);
      if (wanted()) this.answered(answer, request);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (wanted()) this.refused(error.message);
    }
  }

  forget() {
    this.#next = this.#current = null;
  }
}
