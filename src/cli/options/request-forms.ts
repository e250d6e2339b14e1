/** The forms in which requests are written: as the log, or as a request list. */
export const REQUEST_FORMS = ['log', 'requests'] as const;
export type RequestForm = (typeof REQUEST_FORMS)[number];
