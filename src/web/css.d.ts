// Style sheets are bundled beside the scripts that import them.
declare module '*.css';
