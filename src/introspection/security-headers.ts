import { hash } from 'node:crypto';

/**
 * Headers of every answer: nothing is cached, framed, guessed or readable by another origin (there are no
 * CORS headers at all), and a page loads nothing but its own style sheet.
 *
 * @param styleSheets texts of the `<style>` elements that pages contain.
 */
export function securityHeaders(styleSheets: readonly string[]): Readonly<Record<string, string>> {
  const styles = styleSheets.map((text) => `'sha256-${hash('sha256', text, 'base64')}'`).join(' ');
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src ${styles}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
