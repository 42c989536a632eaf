import { createHmac, timingSafeEqual } from 'node:crypto';
import { digest } from '../dimension-text.js';
import type { RefundCharge } from '../quota-store.js';
import type { WindowShape } from '../window-shape.js';
import { isRefundedCode, type RefundCodes } from './refund-codes.js';

/** A charge in a ticket. */
export interface TicketCharge extends RefundCharge {
  readonly codes: RefundCodes;
}

/** The charges of one request, for the report about it. */
export interface RefundTicket {
  /** Equal for all attempts at one request, so that it is refunded once. */
  readonly id: string;
  /** When the ticket is of no more use, in milliseconds since the epoch. */
  readonly untilMs: number;
  readonly charges: readonly TicketCharge[];
}

/** How long after its check a request can be refunded. */
export const REFUND_MS = 300_000;
const MAC_CHARACTERS = 32;
/** The charges of one request; more are of no report of ours. */
const MAX_CHARGES = 128;

/** The id of the ticket of a request. */
export function ticketIdOf(deduplicationId: string): string {
  return digest(`refund ${deduplicationId}`);
}

/**
 * Writes a ticket: texts without spaces, and at the end a proof that a holder of the secret has written it. A proxy
 * carries the ticket from the check to the report, and must not be able to refund what was not charged.
 */
export function writeTicket(ticket: RefundTicket, secret: string): string {
  const content = JSON.stringify([
    ticket.id,
    ticket.untilMs,
    ticket.charges.map(({ ref, amount, maxAmount, shape, codes }) => [
      ref,
      amount,
      maxAmount,
      shape.durationMs,
      shape.divisions,
      shape.carried,
      shape.calendar ?? '',
      codes,
    ]),
  ]);
  const text = Buffer.from(content, 'utf8').toString('base64url');
  return `${text}.${proofOf(text, secret)}`;
}

/** Reads what `writeTicket` has written with the same secret; undefined for any other text. */
export function readTicket(written: string, secret: string): RefundTicket | undefined {
  const [text = '', proof, rest] = written.split('.');
  if (rest !== undefined || !isEqual(proof, proofOf(text, secret))) return undefined;
  const [id, untilMs, charges] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [
    string,
    number,
    readonly TicketFields[],
  ];
  return { id, untilMs, charges: charges.slice(0, MAX_CHARGES).map(chargeOf) };
}

/** The charges of a ticket that the response code of the request gives back. */
export function refundedCharges({ charges }: RefundTicket, responseCode: number): readonly RefundCharge[] {
  return charges.filter(({ codes }) => isRefundedCode(codes, responseCode));
}

type TicketFields = readonly [
  ref: string,
  amount: number,
  maxAmount: number,
  durationMs: number,
  divisions: number,
  carried: number,
  calendar: NonNullable<WindowShape['calendar']> | '',
  codes: RefundCodes,
];

function chargeOf(fields: TicketFields): TicketCharge {
  const [ref, amount, maxAmount, durationMs, divisions, carried, calendar, codes] = fields;
  const shape = { durationMs, divisions, carried, ...(calendar !== '' && { calendar }) };
  return { ref, amount, maxAmount, shape, codes };
}

function isEqual(shown = '', expected: string): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function proofOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, MAC_CHARACTERS);
}
