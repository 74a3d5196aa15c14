/** Whether a character code is that of a decimal digit. */
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const largest = 2n ** 63n;

/** A number in the spelling of a JSON text. One that no `number` can hold becomes the largest one. */
export function number(text: string): number | bigint {
  const value = Number(text);
  // Adding 0 makes 0 of -0.
  if (Number.isSafeInteger(value)) return value + 0;
  // 64 bits are 19 digits and a sign.
  if (/^-?[0-9]{1,19}$/.test(text)) {
    const whole = BigInt(text);
    return whole >= -largest && whole < largest ? whole : finite(value);
  }
  return Number.isInteger(value) && !/^-?[0-9]+$/.test(text) ? exact(value) : finite(value);
}

const finite = (value: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));

/** A whole `number` above 2^53 with all its digits, if it has at most 64 bits. */
function exact(value: number): number | bigint {
  return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(value) : value;
}

/** The canonical spelling of a number (RFC 8785); integers of up to 64 bits keep all their digits. */
export function numberText(value: number | bigint): string {
  if (typeof value === "bigint") return value.toString();
  if (!Number.isFinite(value)) return "null";
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return String(exact(value));
  return String(value);
}
