int	x;
short y;
long	z;
