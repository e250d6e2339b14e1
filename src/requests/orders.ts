/** What becomes of a request that is earlier than the one before it. */
export const ORDERS = ['strict', 'sort', 'keep'] as const;
export type Order = (typeof ORDERS)[number];
