// What the server says there is: settings with their choices and defaults, readouts, limits, presets.

import { ask } from "./api.js";

export class Schema {
  static async load() {
    return new Schema(await ask("api/schema"));
  }

  constructor(answer) {
    Object.assign(this, answer);
  }

  defaults() {
    return Object.fromEntries(Object.entries(this.settings).map(([name, setting]) => [name, setting.default]));
  }

  preset(name) {
    return this.presets.find((preset) => preset.name === name);
  }

  // The names of the parameters of a kernel; none without a kernel.
  parametersOf(kernel) {
    return kernel ? this.settings.kernel.choices[kernel].parameters : [];
  }

  // A kernel with these values for its parameters, and the defaults for others; null without a name.
  kernel(name, values = {}) {
    if (!name) return null;
    const { parameters } = this.settings.kernel;
    return { name, ...Object.fromEntries(this.parametersOf(name).map((each) => [each, values[each] ?? parameters[each].default])) };
  }
}
