/** In what form requests are written: as the log, or as a request list. */
export const FORMS = ['log', 'requests'] as const;
export type Form = (typeof FORMS)[number];
