/** What proxies ask for by SDS over their discovery stream: their own certificate with its key. */
export const WORKLOAD_SECRET = 'default';

/** The same: the roots that certificates of the mesh are verified with. */
export const ROOTS_SECRET = 'ROOTCA';
