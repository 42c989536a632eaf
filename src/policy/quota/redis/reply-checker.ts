/** Checks the bytes of a Redis that is not trusted, before its client reads them. */
export interface ReplyChecker {
  /** A command is sent, so one reply more may come. */
  expect(): void;
  /** @throws Error for bytes that are not expected replies of bounded size */
  check(chunk: Buffer): void;
}

/** Replies to the commands of this room are far below these bounds. */
const MAX_REPLY_BYTES = 64 * 1024;
const MAX_DEPTH = 4;
const LINE_FEED = 10;

/**
 * Follows the structure of replies in RESP2. Other types of RESP3, replies without a command, and deep or long ones can
 * throw within the client, where nothing catches it, or fill the memory.
 */
export function createReplyChecker(): ReplyChecker {
  let expected = 0;
  let replyBytes = 0;
  let line = '';
  /** Of a text, with its line break. */
  let textBytesLeft = 0;
  /** Items that lists still lack, the outermost first. */
  const itemsLeft: number[] = [];

  const count = (bytes: number): void => {
    replyBytes += bytes;
    if (replyBytes > MAX_REPLY_BYTES) throw new Error(`a reply has more than ${MAX_REPLY_BYTES} bytes`);
  };
  const endValue = (): void => {
    while (itemsLeft.length > 0) {
      const left = (itemsLeft.pop() ?? 0) - 1;
      if (left > 0) {
        itemsLeft.push(left);
        return;
      }
    }
    replyBytes = 0;
    expected--;
  };
  const beginValue = (): void => {
    if (itemsLeft.length === 0 && expected === 0) throw new Error('a reply came without a command');
  };
  const readLine = (): void => {
    const [, type, text = ''] = /^([-+:$*])([^\r\n]*)\r\n$/.exec(line) ?? [];
    const number = /^-?\d{1,19}$/.test(text) ? Number(text) : Number.NaN;
    const isText = type === '+' || type === '-';
    if (type === undefined || (!isText && Number.isNaN(number))) throw new Error('a reply is not in RESP2');
    line = '';
    if (isText || type === ':' || number < 0 || (type === '*' && number === 0)) {
      endValue();
    } else if (type === '$') {
      // Counted now: the client may reserve this memory.
      count(number);
      textBytesLeft = number + 2;
    } else {
      count(number);
      if (itemsLeft.push(number) > MAX_DEPTH) throw new Error(`a reply has more than ${MAX_DEPTH} levels`);
    }
  };

  return {
    expect: () => {
      expected++;
    },
    check: (chunk) => {
      let at = 0;
      while (at < chunk.length) {
        if (textBytesLeft > 0) {
          const taken = Math.min(textBytesLeft, chunk.length - at);
          at += taken;
          textBytesLeft -= taken;
          if (textBytesLeft === 0) endValue();
          continue;
        }
        if (line === '') beginValue();
        const lineFeed = chunk.indexOf(LINE_FEED, at);
        const end = lineFeed < 0 ? chunk.length : lineFeed + 1;
        count(end - at);
        line += chunk.toString('latin1', at, end);
        at = end;
        if (lineFeed >= 0) readLine();
      }
    },
  };
}
