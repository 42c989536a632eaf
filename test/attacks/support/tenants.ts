/** The tenant whose users are the probes. */
export const VICTIM = { namespace: 'shop', serviceAccount: 'books' } as const;
export const BOOKS = 'books.shop.svc.cluster.local';
export const PAPERS = 'papers.shop.svc.cluster.local';
/** The namespace of the other tenant. */
export const ATTACKERS = 'attackers';
