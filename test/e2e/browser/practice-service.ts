// The practice service as its own process. Its first line of output is its address.
import { startPractice } from '#main/practice/practice.ts';

const { url } = await startPractice({ port: 0 });
process.stdout.write(`${JSON.stringify({ url })}\n`);
