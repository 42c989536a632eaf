/** Settings cannot be used at the start, and no earlier content is known. The message is one line. */
export class SettingsRefusedError extends Error {
  /**
   * @param label the file, or the ConfigMap and its key
   * @param reasons with line, field and remedy each
   */
  constructor(label: string, reasons: readonly string[]) {
    const told = reasons.slice(0, MAX_REASONS).join('; ');
    const rest = reasons.length > MAX_REASONS ? `; and ${reasons.length - MAX_REASONS} more` : '';
    super(`${label}: settings are refused: ${told}${rest}; correct them and start again`);
    this.name = 'SettingsRefusedError';
  }
}

const MAX_REASONS = 5;
