/** `spec` writes records as the specification shows them; `php` writes two spaces after `Deprecated:`, as PHP does. */
export const DIALECTS = ['spec', 'php'] as const;
export type Dialect = (typeof DIALECTS)[number];
