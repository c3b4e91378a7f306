throw new Error('no shop');
