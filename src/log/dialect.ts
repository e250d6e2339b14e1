/** The dialects of the log. */
export const DIALECTS = ['spec', 'php'] as const;
/** `spec` writes records as the specification shows them; `php` writes two spaces after `Deprecated:`, as PHP does. */
export type Dialect = (typeof DIALECTS)[number];
