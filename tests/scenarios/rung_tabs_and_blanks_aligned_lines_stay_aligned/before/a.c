int	x;
int	y;
long	z;
