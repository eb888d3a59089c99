export default {
  name: 'hangs',
  reason: 'is never reached',
  decide() {
    for (;;);
  },
};
