/** How traffic spreads over the hours of day and week. */
export const PROFILES = ['flat', 'office'] as const;
export type Profile = (typeof PROFILES)[number];
