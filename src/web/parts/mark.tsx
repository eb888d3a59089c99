// The sign of Varve: three layers.

export function Mark() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b5f73" />
      <g fill="none" stroke-width="3" stroke-linecap="round">
        <path stroke="#fff" d="M6 11c4-3 7 3 11 0s6-2 9-1" />
        <path stroke="#9fd6e0" d="M6 17c4-3 7 3 11 0s6-2 9-1" />
        <path stroke="#f2c879" d="M6 23c4-3 7 3 11 0s6-2 9-1" />
      </g>
    </svg>
  );
}
