import { addCount } from '../../base/key-counts.js';

/** An amount that REST requests share: of one address, at most half. */
export interface AddressShares {
  /** @returns a function that gives the amount back; undefined if there is too little left */
  take(address: string, amount: number): (() => void) | undefined;
}

export function createAddressShares(max: number): AddressShares {
  const maxOfAddress = Math.ceil(max / 2);
  const ofAddress = new Map<string, number>();
  let all = 0;
  return {
    take: (address, amount) => {
      const own = ofAddress.get(address) ?? 0;
      if (all + amount > max || own + amount > maxOfAddress) return undefined;
      all += amount;
      addCount(ofAddress, address, amount);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= amount;
        addCount(ofAddress, address, -amount);
      };
    },
  };
}
