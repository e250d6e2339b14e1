/** `spec` writes the records as the specification shows them, `php` with the two spaces that PHP writes after `Deprecated:`. */
export const DIALECTS = ['spec', 'php'] as const;
export type Dialect = (typeof DIALECTS)[number];
