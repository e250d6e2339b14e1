/** The treatments of a line that is not a record of the log. */
export const FOREIGN_ACTIONS = ['skip', 'stop', 'emit'] as const;
/** The treatment of a line that is not a record of the log: passed over, an error, or given among the records. */
export type ForeignAction = (typeof FOREIGN_ACTIONS)[number];
