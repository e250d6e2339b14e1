/**
 * The value at a path of keys with dots between them, such as `event.original`. A key that holds dots itself comes before a path.
 * Undefined if there is none.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return Reflect.get(value, path);
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const key = path.slice(0, dot);
    const found = Object.hasOwn(value, key) ? valueAt(Reflect.get(value, key), path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
