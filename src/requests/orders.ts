/** The treatments of a request that is earlier than the request before it. */
export const ORDERS = ['strict', 'sort', 'keep'] as const;
/** The treatment of a request that is earlier than the request before it: refused, sorted, or kept. */
export type Order = (typeof ORDERS)[number];
