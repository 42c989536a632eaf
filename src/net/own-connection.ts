import type { ChannelOptions } from '@grpc/grpc-js';

/** Options of a client of grpc-js whose connections no other client shares, and about which nothing is recorded. */
export const OWN_CONNECTION: ChannelOptions = { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_channelz': 0 };
