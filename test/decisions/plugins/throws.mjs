export default {
  name: 'throws',
  reason: 'is never reached',
  decide() {
    throw new Error('no opinion today');
  },
};
