import type { CheckedConnection } from './checked-connection.js';

type Connector = InstanceType<typeof import('ioredis')['AbstractConnector']>;
type Connection = Awaited<ReturnType<Connector['connect']>>;

/** Options that make the client of Redis use a connection that is already open. It has the methods of sockets that the client calls. */
export function connectorOptions(
  { AbstractConnector }: Pick<typeof import('ioredis'), 'AbstractConnector'>,
  open: () => Promise<CheckedConnection>,
): { readonly Connector: new () => Connector } {
  class OpenConnector extends AbstractConnector {
    constructor() {
      super(0);
    }

    override async connect(): Promise<Connection> {
      const connection: unknown = await open();
      this.stream = connection as Connection;
      return this.stream;
    }
  }
  return { Connector: OpenConnector };
}
