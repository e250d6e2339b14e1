/** Distributions of traffic over the hours of a week. */
export const PROFILES = ['flat', 'office'] as const;
/** The distribution of traffic: the same at all hours, or more on working days than at night. */
export type Profile = (typeof PROFILES)[number];
