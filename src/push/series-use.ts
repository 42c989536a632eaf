/**
 * Which series of a metric connected proxies stand behind. Labels that come from proxies make ever new series, so
 * those that nobody stands behind any more go, the longest idle first.
 */
export interface SeriesUse {
  begin(label: string): void;
  /** @param hasSeries whether there is a series to keep for a while */
  end(label: string, hasSeries: boolean): void;
}

/**
 * @param maxIdle how many are kept that nobody stands behind
 * @param drop called with one that is too many
 */
export function createSeriesUse(maxIdle: number, drop: (label: string) => void): SeriesUse {
  const users = new Map<string, number>();
  const idle = new Set<string>();
  return {
    begin: (label) => {
      users.set(label, (users.get(label) ?? 0) + 1);
      idle.delete(label);
    },
    end: (label, hasSeries) => {
      const left = (users.get(label) ?? 0) - 1;
      if (left > 0) {
        users.set(label, left);
        return;
      }
      users.delete(label);
      if (hasSeries) idle.add(label);
      const [oldest] = idle;
      if (oldest === undefined || idle.size <= maxIdle) return;
      idle.delete(oldest);
      drop(oldest);
    },
  };
}
