import { Server, ServerCredentials } from '@grpc/grpc-js';

// The floor of a start: a bare grpc-js server that only listens. It tells its parent when it listens.
new Server().bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), () => process.send?.('listening'));
