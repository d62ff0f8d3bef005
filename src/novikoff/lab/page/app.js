// Starts the page: loads the schema, connects the session with everything that shows or changes it, and opens the link.

import { AddressBar } from "./address.js";
import { Refused, whileBusy } from "./api.js";
import { Cards } from "./cards.js";
import { CertificateCard } from "./certificate.js";
import { byId } from "./dom.js";
import { Editing } from "./editing.js";
import { showError } from "./messages.js";
import { orders } from "./orders.js";
import { Readouts } from "./readouts.js";
import { Schema } from "./schema.js";
import { Session } from "./session.js";
import { SettingsCard } from "./settings.js";
import { Stage } from "./stage.js";
import { stretching } from "./stretching.js";
import { table } from "./table.js";
import { Transport } from "./transport.js";

const FIRST_PRESET = "clouds";

async function start() {
  const schema = await Schema.load();
  byId("version").textContent = `novikoff ${schema.version}`;
  const session = new Session(schema);
  const cards = new Cards(session);
  const stage = new Stage(session, (example) => cards.showUpdate(example));
  new Readouts(session, stage);
  new CertificateCard(session);
  new SettingsCard(session);
  new Transport(session);
  const editing = new Editing(session, stage.plane);
  orders(session);
  stretching(session);
  table(session, (sentence) => editing.introduce(sentence));
  const address = new AddressBar(session, (notice) => {
    const { points, settings } = schema.preset(FIRST_PRESET);
    session.open({ points, settings: { ...schema.defaults(), ...settings }, t: 0 }, notice);
    editing.introducePreset(FIRST_PRESET);
  });
  address.read();
}

whileBusy(start).catch((error) => {
  if (!(error instanceof Refused)) throw error;
  showError(error.message);
});
