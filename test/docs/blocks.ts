// The fenced blocks of a Markdown page, with the notes in the comments before them:
//
//   <!-- not run: WHY -->            it cannot be run here, with the reason
//   <!-- file: NAME -->              it is the content of this file
//   <!-- keeps running: TEXT -->     it does not end; it is ready when it prints TEXT
//   <!-- shows: TEXT -->             its output contains TEXT eventually; for commands that only read
//   <!-- needs: COMMAND -->          run only if `holdfast COMMAND` exists
//   <!-- exits: N -->                it exits with this code

export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  readonly notes: { readonly [name: string]: string };
}

const FENCE = /^```(\w*)\s*$/;
const NOTE = /^<!--\s*([a-z ]+?)(?::\s*(.*?))?\s*-->$/;
const NOTES = ['not run', 'file', 'keeps running', 'shows', 'needs', 'exits'];

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let notes: { [name: string]: string } = {};
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const note = NOTE.exec(line);
    const fence = FENCE.exec(line);
    if (note) {
      const [, name = '', value = ''] = note;
      if (!NOTES.includes(name)) throw new Error(`line ${at + 1}: "${name}" means nothing here`);
      notes[name] = value;
    } else if (fence) {
      const end = lines.indexOf('```', at + 1);
      const text = `${lines
        .slice(at + 1, end)
        .join('\n')
        .trimEnd()}\n`;
      blocks.push({ language: fence[1] ?? '', text, line: at + 1, notes });
      notes = {};
      at = end;
    } else if (line.trim() !== '') notes = {};
  }
  return blocks;
}
