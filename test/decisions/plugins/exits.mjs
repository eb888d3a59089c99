export default {
  name: 'exits',
  reason: 'is never reached',
  decide() {
    process.exit(3);
  },
};
