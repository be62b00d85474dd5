// The practice service as a process of its own. Its first line says where it is.
import { startPractice } from '#main/practice/practice.ts';

const { url } = await startPractice({ port: 0 });
process.stdout.write(`${JSON.stringify({ url })}\n`);
