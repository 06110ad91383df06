let a = f(  
    1);
