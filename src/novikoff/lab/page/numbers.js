// Numbers as text.

// Four significant digits, a real minus sign, no exponent where none is needed.
export function formatted(number) {
  if (number === null || number === undefined) return "–";
  const text = Math.abs(number) >= 1e6 ? grouped(number) : String(Number(Number(number).toPrecision(4)));
  return text.replace("e+", "e").replaceAll("-", "−");
}

function grouped(number) {
  return Math.abs(number) < 1e15 ? count(number) : number.toExponential(3);
}

// A whole number, with spaces between thousands.
export function count(number) {
  return Math.round(number).toLocaleString("en").replaceAll(",", " ");
}

// A number with its noun: 1 mistake, 2 mistakes.
export function amount(number, noun, plural = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

export const vector = (numbers) => `(${numbers.map(formatted).join(", ")})`;

export const signed = (y) => (y > 0 ? "+1" : "−1");
