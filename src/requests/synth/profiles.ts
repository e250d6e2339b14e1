/** Distributions of traffic over the hours of a week. */
export const PROFILES = ['flat', 'office'] as const;
export type Profile = (typeof PROFILES)[number];
