// What the editor shows to begin with: small, complete, and worth running.

export const firstWorkflow = `name: first
actions:
  - id: words
    command: 'printf "one\\ntwo\\nthree\\n"'
    stdout: words.txt

  - id: count
    command: 'wc -l < "$VARVE_INPUT_WORDS/words.txt"'
    stdout: lines.txt
    parentActions: [words]
`;
