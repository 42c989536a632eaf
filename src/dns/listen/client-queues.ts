/** Items that wait, by client. Clients take turns, so that a client with many items delays only its own. */
export interface ClientQueues<Item> {
  push(client: string, item: Item): void;
  /** The next item, of the client whose last turn is the longest ago. */
  next(): Item | undefined;
  sizeOf(client: string): number;
  readonly size: number;
  /** Clients with waiting items. */
  readonly clients: number;
}

export function createClientQueues<Item>(): ClientQueues<Item> {
  const queues = new Map<string, Item[]>();
  let size = 0;
  return {
    push: (client, item) => {
      const queue = queues.get(client);
      if (queue === undefined) queues.set(client, [item]);
      else queue.push(item);
      size++;
    },
    next: () => {
      const [first] = queues;
      if (first === undefined) return undefined;
      const [client, queue] = first;
      const item = queue.shift();
      // Moved to the end: the next turn belongs to another client.
      queues.delete(client);
      if (queue.length > 0) queues.set(client, queue);
      size--;
      return item;
    },
    sizeOf: (client) => queues.get(client)?.length ?? 0,
    get size() {
      return size;
    },
    get clients() {
      return queues.size;
    },
  };
}
