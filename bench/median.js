/** The median of some numbers; of an even number of them, the upper one of the two in the middle. */
export function median(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}
