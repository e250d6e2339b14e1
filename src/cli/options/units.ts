/** A decimal number and a unit, without a space between them. */
const NUMBER_AND_UNIT = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/;

/**
 * Reads a quantity: a decimal number and its unit.
 *
 * @param units by name, in multiples of the smallest one; an empty name allows a number alone
 * @returns a whole number of the smallest unit, from 1 on; undefined for other text, and for more than a number holds exactly
 */
export function findQuantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, decimal, name = ''] = NUMBER_AND_UNIT.exec(text) ?? [];
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  if (decimal === undefined || unit === undefined) return undefined;
  const quantity = Math.round(Number(decimal) * unit);
  return Number.isSafeInteger(quantity) && quantity > 0 ? quantity : undefined;
}
