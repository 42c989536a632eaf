/** The port that inbound connections are redirected to. */
export const VIRTUAL_INBOUND_PORT = 15006;
