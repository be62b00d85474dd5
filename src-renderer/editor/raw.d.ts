/** A file as its text; made by the build. */
declare module '*?raw' {
  const text: string;
  export default text;
}
