/** The treatment of a request that is earlier than the request before it: refused, sorted, or kept. */
export const ORDERS = ['strict', 'sort', 'keep'] as const;
export type Order = (typeof ORDERS)[number];
