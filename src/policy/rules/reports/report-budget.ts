/** Bytes of reports that wait for their adapters, of all handlers of the process. */
export interface ReportBudget {
  /** Whether the bytes fit; they are taken then. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

const MAX_BYTES = 64 * 1024 * 1024;

export function createReportBudget(maxBytes = MAX_BYTES): ReportBudget {
  let used = 0;
  return {
    take: (bytes) => {
      if (used + bytes > maxBytes) return false;
      used += bytes;
      return true;
    },
    giveBack: (bytes) => {
      used -= bytes;
    },
  };
}
